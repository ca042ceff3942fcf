// This example was not compiled: the SDK AliyunOSSiOS is for Apple's systems, and the example was written on Linux.
#import "OSSClients.h"

/// Uploads a file in parts. What has arrived is noted in a folder, so that the next call with the same arguments goes on from there.
/// `[request cancel]` pauses.
/// @param key below sessions/USER/ with temporary keys, below signed/USER/ with remote signatures
OSSResumableUploadRequest *UploadFile(OSSClient *client, NSURL *file, NSString *key, void (^progress)(double fraction),
                                      void (^completion)(NSString *words)) {
    NSString *caches = NSSearchPathForDirectoriesInDomains(NSCachesDirectory, NSUserDomainMask, YES).firstObject;
    OSSResumableUploadRequest *request = [OSSResumableUploadRequest new];
    request.bucketName = @"demo-bucket";
    request.objectKey = key;
    request.uploadingFileURL = file;
    request.partSize = 1024 * 1024;
    request.recordDirectoryPath = caches;
    request.deleteUploadIdOnCancelling = NO;
    request.uploadProgress = ^(int64_t bytesSent, int64_t totalBytesSent, int64_t totalBytesExpectedToSend) {
        progress((double)totalBytesSent / (double)totalBytesExpectedToSend);
    };
    [[client resumableUpload:request] continueWithBlock:^id(OSSTask *task) {
        // An error is of the service (it refused a key or a signature), of OSS, or of the network.
        completion(task.error == nil ? [@"Stored as " stringByAppendingString:key] : task.error.localizedDescription);
        return nil;
    }];
    return request;
}

/// How an app uses it.
void UploadToSandbox(NSURL *file) {
    // The key stands in for the user's token (JWT): a real app gets that from its login.
    OSSClients *clients = [[OSSClients alloc] initWithService:[NSURL URLWithString:@"http://127.0.0.1:8080"]
                                                     endpoint:@"http://127.0.0.1:8090"
                                                    userToken:^{ return @"example-app-ZYIt0W-8TIFcdzbZRJuO_3nz"; }];
    NSString *name = [NSUUID.UUID.UUIDString stringByAppendingPathExtension:file.pathExtension];
    UploadFile([clients clientWithTemporaryKeys], file, [@"sessions/app/" stringByAppendingString:name],
               ^(double fraction) { NSLog(@"%.0f %%", fraction * 100); },
               ^(NSString *words) { NSLog(@"%@", words); });
}
