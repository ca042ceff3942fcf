// This example was not compiled: there is no Android SDK where it was written.
package example.uploads

import com.qiniu.android.common.FixedZone
import com.qiniu.android.http.ResponseInfo
import com.qiniu.android.storage.Configuration
import com.qiniu.android.storage.FileRecorder
import com.qiniu.android.storage.UploadManager
import com.qiniu.android.storage.UploadOptions
import java.io.File
import java.io.IOException
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.concurrent.thread

/**
 * Uploads of files to Kodo, by upload tokens of the service. What has arrived is noted in [folder], so that an upload goes on later
 * from there.
 *
 * @param host where Kodo takes uploads over HTTP, for a sandbox; null for the region of the bucket, which the SDK asks for
 */
class QiniuUploads(private val countersign: Countersign, folder: File, host: String? = null) {
    private val manager: UploadManager

    init {
        val configuration = Configuration.Builder()
            .recorder(FileRecorder(folder.path))
            .resumeUploadVersion(Configuration.RESUME_UPLOAD_VERSION_V2)
        if (host != null) configuration.zone(FixedZone(arrayOf(host))).useHttps(false)
        manager = UploadManager(configuration.build())
    }

    /** Begins, or goes on. The result cancels the upload, which is a pause. */
    fun upload(file: File, key: String, progress: (Double) -> Unit, done: (words: String) -> Unit): () -> Unit {
        val isPaused = AtomicBoolean(false)
        thread { attempt(file, key, isPaused, mayRenew = true, progress, done) }
        return { isPaused.set(true) }
    }

    /** Once with a new token. If Kodo says that the token has ended on the way, it goes on with another one. */
    private fun attempt(
        file: File, key: String, isPaused: AtomicBoolean, mayRenew: Boolean, progress: (Double) -> Unit,
        done: (words: String) -> Unit,
    ) {
        val token = try {
            countersign.ask("/qiniu/uptoken", mapOf("grant" to "photos", "key" to key)).getString("uptoken")
        } catch (error: IOException) {
            return done(error.message ?: "The service cannot be reached now.")
        }
        val options = UploadOptions(null, null, true, { _, fraction -> progress(fraction) }, { isPaused.get() })
        manager.put(file, key, token, { _, info, _ ->
            when {
                info.isOK -> done("Stored as $key")
                info.isCancelled -> done("Paused")
                info.statusCode == 401 && mayRenew -> thread { attempt(file, key, isPaused, mayRenew = false, progress, done) }
                else -> done(words(info))
            }
        }, options)
    }

    private fun words(info: ResponseInfo) = "The storage refuses this (status ${info.statusCode}): ${info.error}"
}
