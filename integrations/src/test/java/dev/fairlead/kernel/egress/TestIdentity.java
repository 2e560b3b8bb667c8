package dev.fairlead.kernel.egress;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
 * A key and its self-signed certificate for {@code cluster.example} and the Service {@code
 * fairlead}, made by the JDK's keytool once per JVM.
 */
public final class TestIdentity {
  /** For keytool, which ends before the second compiler has paid for itself. */
  public static final String QUICK = "-J-XX:TieredStopAtLevel=1";

  private static final char[] PASSWORD = "password".toCharArray();
  private static final KeyStore STORE = make();

  private TestIdentity() {}

  /** As in a kubeconfig: base64 of PEM. */
  public static String certificate() {
    try {
      return pem("CERTIFICATE", STORE.getCertificate("test").getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As in a kubeconfig: base64 of PEM. */
  public static String key() {
    try {
      return pem("PRIVATE KEY", STORE.getKey("test", PASSWORD).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public static SSLContext server() {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(STORE, PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public static String pem(String label, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String pem = "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
  }

  private static KeyStore make() {
    try {
      Path directory = Files.createTempDirectory("identity");
      Path file = directory.resolve("store.p12");
      String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
      Process process =
          new ProcessBuilder(
                  List.of(
                      keytool,
                      QUICK,
                      "-genkeypair",
                      "-alias",
                      "test",
                      "-keyalg",
                      "EC",
                      "-groupname",
                      "secp256r1",
                      "-dname",
                      "CN=test",
                      "-ext",
                      "san=dns:cluster.example,dns:fairlead.default.svc.cluster.local,ip:127.0.0.1",
                      "-validity",
                      "30",
                      "-storetype",
                      "PKCS12",
                      "-keystore",
                      file.toString(),
                      "-storepass",
                      new String(PASSWORD)))
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool: " + output);
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, PASSWORD);
      }
      Files.delete(file);
      Files.delete(directory);
      return store;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
