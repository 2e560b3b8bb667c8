package dev.fairlead.verify.load.webhook;

import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A key with a self-signed certificate of 127.0.0.1, created by the JDK's keytool. Only webhooks
 * with {@code caData} of this certificate trust it.
 *
 * @param caData base64 of PEM
 */
record TlsIdentity(SSLContext server, String caData) {
  private static final String PASSWORD = "receiver";

  static TlsIdentity create() throws IOException, GeneralSecurityException, InterruptedException {
    Path file = WorkTree.scratch("bench-webhooks").resolve("receiver.p12");
    boolean _ = Files.deleteIfExists(file);
    Process keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    PASSWORD,
                    "-keyalg",
                    "EC",
                    "-groupname",
                    "secp256r1",
                    "-dname",
                    "CN=receiver",
                    "-ext",
                    "SAN=ip:127.0.0.1",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    file.toString(),
                    "-storepass",
                    PASSWORD))
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IllegalStateException("keytool: " + output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    String pem =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(keys.getCertificate(PASSWORD).getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    String caData = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
    return new TlsIdentity(tls, caData);
  }
}
