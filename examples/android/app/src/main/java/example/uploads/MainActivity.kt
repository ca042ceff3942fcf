// This example was not compiled: there is no Android SDK where it was written.
package example.uploads

import android.net.Uri
import android.os.Bundle
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ProgressBar
import android.widget.TextView
import androidx.activity.ComponentActivity
import androidx.activity.result.contract.ActivityResultContracts
import java.io.File
import java.util.UUID
import kotlin.concurrent.thread

/** Begins an upload of a file to a key; tells how far it is, and how it ended. The result pauses it. */
private typealias Begin = (File, String, (Double) -> Unit, (String) -> Unit) -> () -> Unit

/** Picks a file, and shows how far it is. */
class MainActivity : ComponentActivity() {
    // The key stands in for the user's token (JWT): a real app gets that from its login, since everybody can read what is in an app.
    private val countersign = Countersign("http://127.0.0.1:8080") { "example-app-ZYIt0W-8TIFcdzbZRJuO_3nz" }
    private val qiniu by lazy { QiniuUploads(countersign, cacheDir, host = "127.0.0.1:8090") }
    private val oss by lazy { OSSUploads(this, "http://127.0.0.1:8090", OSSCredentials.temporaryKeys(countersign)) }

    private lateinit var list: LinearLayout
    /** What to do with the file that is being picked: the prefix of its key, and how it is uploaded. */
    private var wanted: Pair<String, Begin>? = null

    private val picker = registerForActivityResult(ActivityResultContracts.GetContent()) { uri -> uri?.let(::add) }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        list = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }
        list.addView(button("Upload to Kodo") { pick("photos/app/", qiniu::upload) })
        list.addView(button("Upload to OSS") { pick("sessions/app/", oss::upload) })
        setContentView(list)
    }

    private fun pick(prefix: String, begin: Begin) {
        wanted = Pair(prefix, begin)
        picker.launch("*/*")
    }

    /** Copies what was picked to a file of the app, so that the upload can go on after a pause, and begins. */
    private fun add(uri: Uri) {
        val (prefix, begin) = wanted ?: return
        val type = contentResolver.getType(uri)?.substringAfterLast('/') ?: "bin"
        val name = "${UUID.randomUUID()}.$type"
        thread {
            val file = File(cacheDir, name)
            contentResolver.openInputStream(uri)?.use { input -> file.outputStream().use { input.copyTo(it) } }
            runOnUiThread { show(file, prefix + name, begin) }
        }
    }

    private fun show(file: File, key: String, begin: Begin) {
        val bar = ProgressBar(this, null, android.R.attr.progressBarStyleHorizontal).apply { max = 1000 }
        val message = TextView(this)
        var pause: (() -> Unit)? = null
        lateinit var control: Button
        fun start() {
            control.text = "Pause"
            message.text = ""
            val progress = { fraction: Double -> runOnUiThread { bar.progress = (fraction * 1000).toInt() } }
            pause = begin(file, key, progress) { words ->
                runOnUiThread {
                    pause = null
                    message.text = words
                    control.text = "Resume"
                    control.isEnabled = !words.startsWith("Stored")
                }
            }
        }
        control = button("Pause") { pause?.invoke() ?: start() }
        for (view in listOf(control, bar, message)) list.addView(view)
        start()
    }

    private fun button(title: String, action: () -> Unit) = Button(this).apply {
        text = title
        setOnClickListener { action() }
    }
}
