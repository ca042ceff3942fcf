// This example was not compiled: the SDK AliyunOSSiOS is for Apple's systems, and the example was written on Linux.
#import "OSSClients.h"

static NSErrorDomain const OSSClientsErrorDomain = @"CountersignRefusal";

@interface OSSClients ()
@property (nonatomic, readonly) NSURL *service;
@property (nonatomic, readonly) NSString *endpoint;
@property (nonatomic, copy, readonly) NSString * (^userToken)(void);
@end

@implementation OSSClients

- (instancetype)initWithService:(NSURL *)service endpoint:(NSString *)endpoint userToken:(NSString * (^)(void))userToken {
    self = [super init];
    if (self) {
        _service = service;
        _endpoint = [endpoint copy];
        _userToken = [userToken copy];
    }
    return self;
}

- (OSSClient *)clientWithTemporaryKeys {
    // The SDK calls the block on a queue of its own, never on the main one, and keeps the key until it is about to end.
    id<OSSCredentialProvider> provider = [[OSSFederationCredentialProvider alloc] initWithFederationTokenGetter:^OSSFederationToken * {
        NSError *error = nil;
        NSDictionary *answer = [self ask:@"distribute-token.json" parameters:@{@"grant": @"sessions"} error:&error];
        if (answer == nil) {
            NSLog(@"no temporary key: %@", error.localizedDescription);
            return nil;
        }
        OSSFederationToken *token = [OSSFederationToken new];
        token.tAccessKey = answer[@"AccessKeyId"];
        token.tSecretKey = answer[@"AccessKeySecret"];
        token.tToken = answer[@"SecurityToken"];
        token.expirationTimeInGMTFormat = answer[@"Expiration"];
        return token;
    }];
    return [self clientWithProvider:provider];
}

- (OSSClient *)clientWithRemoteSignatures {
    id<OSSCredentialProvider> provider =
        [[OSSCustomSignerCredentialProvider alloc] initWithImplementedSigner:^NSString *(NSString *contentToSign, NSError **error) {
            NSDictionary *parameters = @{@"grant": @"signatures", @"contentToSign": contentToSign};
            // The whole value of the field Authorization: "OSS KEY:SIGNATURE".
            return [self ask:@"oss/sign" parameters:parameters error:error][@"authorization"];
        }];
    return [self clientWithProvider:provider];
}

- (OSSClient *)clientWithProvider:(id<OSSCredentialProvider>)provider {
    OSSClientConfiguration *configuration = [OSSClientConfiguration new];
    configuration.maxRetryCount = 3;
    return [[OSSClient alloc] initWithEndpoint:self.endpoint credentialProvider:provider clientConfiguration:configuration];
}

/// Asks a route of the service, and waits for the answer: the SDK's blocks must return it.
/// @return nil for a refusal, whose words are in the error
- (nullable NSDictionary *)ask:(NSString *)route parameters:(NSDictionary *)parameters error:(NSError **)error {
    NSMutableURLRequest *request = [NSMutableURLRequest requestWithURL:[self.service URLByAppendingPathComponent:route]];
    request.HTTPMethod = @"POST";
    request.HTTPBody = [NSJSONSerialization dataWithJSONObject:parameters options:0 error:error];
    if (request.HTTPBody == nil) {
        return nil;
    }
    [request setValue:@"application/json" forHTTPHeaderField:@"Content-Type"];
    [request setValue:[@"Bearer " stringByAppendingString:self.userToken()] forHTTPHeaderField:@"Authorization"];

    __block NSDictionary *document = nil;
    __block NSInteger status = 0;
    __block NSError *failure = nil;
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    NSURLSessionDataTask *task =
        [NSURLSession.sharedSession dataTaskWithRequest:request
                                      completionHandler:^(NSData *data, NSURLResponse *response, NSError *taskError) {
                                          failure = taskError;
                                          if ([response isKindOfClass:NSHTTPURLResponse.class]) {
                                              status = ((NSHTTPURLResponse *)response).statusCode;
                                          }
                                          if (data != nil) {
                                              id json = [NSJSONSerialization JSONObjectWithData:data options:0 error:nil];
                                              document = [json isKindOfClass:NSDictionary.class] ? json : nil;
                                          }
                                          dispatch_semaphore_signal(done);
                                      }];
    [task resume];
    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);

    if (status == 200 && document != nil) {
        return document;
    }
    if (error != NULL) {
        // A refusal is a problem document (RFC 9457): `code` is for programs, `detail` is for people.
        NSString *words = document[@"detail"] ?: @"The service cannot be reached now.";
        *error = failure ?: [NSError errorWithDomain:OSSClientsErrorDomain code:status userInfo:@{NSLocalizedDescriptionKey: words}];
    }
    return nil;
}

@end
