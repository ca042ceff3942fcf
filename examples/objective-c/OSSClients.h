// This example was not compiled: the SDK AliyunOSSiOS is for Apple's systems, and the example was written on Linux.
#import <AliyunOSSiOS/OSSService.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// Makes clients of OSS whose credentials come from the service, in two ways. The vendor's secret key never comes to the app.
@interface OSSClients : NSObject

/// @param service   where the service is, such as https://tokens.example.com
/// @param endpoint  where the buckets are, such as https://oss-cn-hangzhou.aliyuncs.com
/// @param userToken gives the user's token (JWT); it is asked before each question to the service, so it may give a new one
- (instancetype)initWithService:(NSURL *)service
                       endpoint:(NSString *)endpoint
                      userToken:(NSString * (^)(void))userToken NS_DESIGNATED_INITIALIZER;
- (instancetype)init NS_UNAVAILABLE;

/// With temporary keys of /distribute-token.json: the SDK signs, and asks for another key before one ends.
- (OSSClient *)clientWithTemporaryKeys;

/// With signatures of /oss/sign: the service reads each string to sign, and signs it if a grant allows that request.
- (OSSClient *)clientWithRemoteSignatures;

@end

NS_ASSUME_NONNULL_END
