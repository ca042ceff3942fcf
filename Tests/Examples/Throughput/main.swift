// Uploads one file by CountersignClient. scripts/check-upload compiles it, runs it and looks at its time and memory.
// usage: upload SERVICE API_KEY SANDBOX VENDOR FILE KEY
import CountersignClient
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 6, let service = URL(string: arguments[0]), let vendor = UploadVendor(rawValue: arguments[3])
else { fatalError("usage: upload SERVICE API_KEY SANDBOX VENDOR FILE KEY") }
let client = Countersign(baseURL: service, credential: .bearer(arguments[1]))
let options = UploadOptions(contentType: "video/mp4", endpoint: URL(string: arguments[2]))
let object = try await client.upload(URL(filePath: arguments[4]), to: vendor, key: arguments[5], options: options)
print(object.key)
