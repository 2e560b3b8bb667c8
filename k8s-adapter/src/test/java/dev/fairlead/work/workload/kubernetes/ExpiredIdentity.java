package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.kernel.egress.TestIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A certificate for {@code cluster.example} that expired, and the authority that signed it. */
record ExpiredIdentity(SSLContext server, String authority) {
  private static final String PASSWORD = "password";

  static ExpiredIdentity make(Path directory) {
    Path store = directory.resolve("expired.p12");
    keytool(
        store, "-genkeypair", "-alias", "ca", "-dname", "CN=ca", "-ext", "bc:c", "-keyalg", "EC");
    keytool(
        store,
        "-genkeypair",
        "-alias",
        "leaf",
        "-signer",
        "ca",
        "-dname",
        "CN=leaf",
        "-keyalg",
        "EC",
        "-startdate",
        "-10d",
        "-validity",
        "5",
        "-ext",
        "san=dns:cluster.example");
    try {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD.toCharArray());
      }
      byte[] authority = keys.getCertificate("ca").getEncoded();
      keys.deleteEntry("ca");
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return new ExpiredIdentity(context, TestIdentity.pem("CERTIFICATE", authority));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path store, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                TestIdentity.QUICK));
    command.addAll(List.of(arguments));
    command.addAll(
        List.of("-keystore", store.toString(), "-storepass", PASSWORD, "-storetype", "PKCS12"));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool: " + said);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
