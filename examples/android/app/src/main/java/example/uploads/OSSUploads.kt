// This example was not compiled: there is no Android SDK where it was written.
package example.uploads

import android.content.Context
import com.alibaba.sdk.android.oss.ClientConfiguration
import com.alibaba.sdk.android.oss.ClientException
import com.alibaba.sdk.android.oss.OSS
import com.alibaba.sdk.android.oss.OSSClient
import com.alibaba.sdk.android.oss.ServiceException
import com.alibaba.sdk.android.oss.callback.OSSCompletedCallback
import com.alibaba.sdk.android.oss.common.auth.OSSAuthCredentialsProvider
import com.alibaba.sdk.android.oss.common.auth.OSSCredentialProvider
import com.alibaba.sdk.android.oss.common.auth.OSSCustomSignerCredentialProvider
import com.alibaba.sdk.android.oss.common.auth.OSSFederationCredentialProvider
import com.alibaba.sdk.android.oss.common.auth.OSSFederationToken
import com.alibaba.sdk.android.oss.model.ResumableUploadRequest
import com.alibaba.sdk.android.oss.model.ResumableUploadResult
import java.io.File
import java.io.IOException

/** The three ways in which the SDK of OSS gets credentials of the service. The vendor's secret key never comes to the app. */
object OSSCredentials {
    /** Temporary keys of /distribute-token.json: the SDK signs, and asks for another key before one ends. */
    fun temporaryKeys(countersign: Countersign): OSSCredentialProvider = object : OSSFederationCredentialProvider() {
        override fun getFederationToken(): OSSFederationToken {
            val answer = try {
                countersign.ask("/distribute-token.json", mapOf("grant" to "sessions"))
            } catch (error: IOException) {
                throw ClientException(error.message, error)
            }
            return OSSFederationToken(
                answer.getString("AccessKeyId"), answer.getString("AccessKeySecret"),
                answer.getString("SecurityToken"), answer.getString("Expiration"),
            )
        }
    }

    /** The same, asked by the SDK itself. It sends no header, so the URL has a ticket in it, which your backend has asked for. */
    fun ticket(url: String): OSSCredentialProvider = OSSAuthCredentialsProvider(url)

    /** Signatures of /oss/sign: the service reads each string to sign, and signs it if a grant allows that request. */
    fun remoteSignatures(countersign: Countersign): OSSCredentialProvider = object : OSSCustomSignerCredentialProvider() {
        override fun signContent(content: String): String? = try {
            val parameters = mapOf("grant" to "signatures", "contentToSign" to content)
            // The whole value of the field Authorization: "OSS KEY:SIGNATURE".
            countersign.ask("/oss/sign", parameters).getString("authorization")
        } catch (error: IOException) {
            // The SDK takes it for a failure of the request.
            throw IllegalStateException(error.message, error)
        }
    }
}

/** Uploads of files to OSS in parts. What has arrived is noted in a folder, so that an upload goes on later from there. */
class OSSUploads(private val context: Context, endpoint: String, credentials: OSSCredentialProvider) {
    private val oss: OSS = OSSClient(context, endpoint, credentials, ClientConfiguration().apply { maxErrorRetry = 3 })

    /** Begins, or goes on. The result cancels the upload, which is a pause. */
    fun upload(file: File, key: String, progress: (Double) -> Unit, done: (words: String) -> Unit): () -> Unit {
        val request = ResumableUploadRequest("demo-bucket", key, file.path, context.cacheDir.path)
        request.partSize = 1024L * 1024
        request.setDeleteUploadOnCancelling(false)
        request.setProgressCallback { _, sent, total -> progress(sent.toDouble() / total) }
        val callback = object : OSSCompletedCallback<ResumableUploadRequest, ResumableUploadResult> {
            override fun onSuccess(request: ResumableUploadRequest, result: ResumableUploadResult) = done("Stored as $key")

            override fun onFailure(request: ResumableUploadRequest, client: ClientException?, service: ServiceException?) {
                val words = when {
                    service != null -> "The storage refuses this (${service.errorCode}): ${service.rawMessage}"
                    client?.isCanceledException() == true -> "Paused"
                    else -> client?.message ?: "The connection was cut."
                }
                done(words)
            }
        }
        val task = oss.asyncResumableUpload(request, callback)
        return { task.cancel() }
    }
}
