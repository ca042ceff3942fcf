module countersign.example/backend

go 1.19
