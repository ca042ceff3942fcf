// This example was not compiled: there is no Android SDK where it was written.
plugins {
    id("com.android.application") version "8.7.3"
    id("org.jetbrains.kotlin.android") version "2.0.21"
}

android {
    namespace = "example.uploads"
    compileSdk = 35
    defaultConfig {
        applicationId = "example.uploads"
        minSdk = 24
        targetSdk = 35
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }
    kotlinOptions { jvmTarget = "17" }
}

dependencies {
    implementation("androidx.activity:activity-ktx:1.9.3")
    implementation("com.aliyun.dpa:oss-android-sdk:2.9.21")
    implementation("com.qiniu:qiniu-android-sdk:8.8.2")
}
