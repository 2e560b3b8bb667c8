package dev.fairlead.work.log.chunk;

import dev.fairlead.work.log.chunk.LogPlaceSettings.S3;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** S3 clients by the settings. Each call has a timeout. */
final class S3Clients {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration SILENT = Duration.ofSeconds(5);

  private S3Clients() {}

  /**
   * @param call timeout of one call, including retries
   * @throws InvalidConfigurationPropertyValueException for an invalid setting
   */
  static S3Client of(S3 settings, Duration call) {
    if (settings.accessKey().isBlank() != settings.secretKey().isBlank()) {
      throw new InvalidConfigurationPropertyValueException(
          "fairlead.logs.s3.access-key",
          settings.accessKey(),
          "Set the access key and the secret key, or neither.");
    }
    UrlConnectionHttpClient.Builder http =
        UrlConnectionHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(SILENT);
    if (!settings.caFile().isBlank()) {
      TrustManager[] trusted = trusted(settings.caFile());
      http.tlsTrustManagersProvider(() -> trusted);
    }
    /* Servers other than AWS do not support checksums in trailers. */
    S3ClientBuilder client =
        S3Client.builder()
            .httpClientBuilder(http)
            .addPlugin(LegacyMd5Plugin.create()) // MD5: bulk deletions on all servers
            .overrideConfiguration(calls -> calls.apiCallTimeout(call))
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .forcePathStyle(settings.pathStyle());
    if (!settings.accessKey().isBlank()) {
      client.credentialsProvider(
          StaticCredentialsProvider.create(
              AwsBasicCredentials.create(settings.accessKey(), settings.secretKey())));
    }
    if (!settings.endpoint().isBlank()) {
      client.endpointOverride(URI.create(settings.endpoint())).region(Region.US_EAST_1);
    }
    if (!settings.region().isBlank()) {
      client.region(Region.of(settings.region()));
    }
    try {
      return client.build();
    } catch (SdkClientException noRegion) {
      throw new InvalidConfigurationPropertyValueException(
          "fairlead.logs.s3.region", "", "Set it, or AWS_REGION: " + noRegion.getMessage());
    }
  }

  private static TrustManager[] trusted(String file) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      try (InputStream pem = Files.newInputStream(Path.of(file))) {
        for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
          store.setCertificateEntry("ca" + store.size(), each);
        }
      }
      if (store.size() == 0) {
        throw new CertificateException("it has no certificate");
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory.getTrustManagers();
    } catch (IOException | GeneralSecurityException wrong) {
      throw new InvalidConfigurationPropertyValueException(
          "fairlead.logs.s3.ca-file", file, "It must be a file of PEM certificates: " + wrong);
    }
  }
}
