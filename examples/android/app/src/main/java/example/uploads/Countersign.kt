// This example was not compiled: there is no Android SDK where it was written.
package example.uploads

import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import org.json.JSONException
import org.json.JSONObject

/** What the service says when it refuses: [code] is for programs, the message is for people. */
class ServiceRefusal(val status: Int, val code: String, words: String) :
    IOException("The service refuses this ($code): $words")

/**
 * The service, asked on behalf of the user. Every function waits for the network: call it on a thread in the background.
 *
 * @param url where the service is, such as https://tokens.example.com
 * @param userToken gives the user's token (JWT); it is asked before each question, so it may give a new one
 */
class Countersign(private val url: String, private val userToken: () -> String) {
    /** The answer of a route, such as "/qiniu/uptoken". */
    @Throws(IOException::class)
    fun ask(route: String, parameters: Map<String, Any>): JSONObject {
        val connection = URL(url + route).openConnection() as HttpURLConnection
        try {
            connection.requestMethod = "POST"
            connection.connectTimeout = 10_000
            connection.readTimeout = 10_000
            connection.doOutput = true
            connection.setRequestProperty("Authorization", "Bearer ${userToken()}")
            connection.setRequestProperty("Content-Type", "application/json")
            connection.outputStream.use { it.write(JSONObject(parameters).toString().toByteArray()) }
            val status = connection.responseCode
            val stream = if (status < 400) connection.inputStream else connection.errorStream
            val text = stream?.use { it.readBytes().decodeToString() } ?: ""
            return read(status, text)
        } finally {
            connection.disconnect()
        }
    }

    /** Refusals are problem documents (RFC 9457). */
    private fun read(status: Int, text: String): JSONObject {
        val document = try {
            JSONObject(text)
        } catch (error: JSONException) {
            throw IOException("An answer of status $status is not the service's.", error)
        }
        if (status == 200) return document
        throw ServiceRefusal(status, document.optString("code"), document.optString("detail"))
    }
}
