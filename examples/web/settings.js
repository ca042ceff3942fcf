// Where everything is, for the sandbox. Your own page has other values here.
export const settings = {
  // The service. Its configuration lists the page's origin under server.cors.origins.
  service: "http://127.0.0.1:8080",

  // What the page shows the service. This key stands in for the user's token (JWT): a real page gets that from its login, since
  // everybody can read what is in a page. It is asked for before each question, so it may give a new one.
  userToken: async () => "example-app-ZYIt0W-8TIFcdzbZRJuO_3nz",

  // Where Kodo takes uploads; for a real bucket the region's host, such as https://up-z0.qiniup.com/
  qiniuUpload: "http://up.qiniu.localhost:8090/",

  // For how many seconds credentials shall hold; null for what the grant says.
  lifetime: null,

  // Bytes of one part of an upload in parts; OSS wants 100 KiB at least.
  partSize: 1024 * 1024,
};
