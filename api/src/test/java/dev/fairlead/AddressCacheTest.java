package dev.fairlead;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The cache of addresses in a separate process, because the JVM reads its settings once. */
class AddressCacheTest {
  /** The program that the process runs. */
  static final class Program {
    static void main() throws ReflectiveOperationException {
      AddressCache.shorten();
      Class<?> policy = Class.forName("sun.net.InetAddressCachePolicy");
      IO.print(
          policy.getMethod("get").invoke(null)
              + " "
              + policy.getMethod("getNegative").invoke(null));
    }
  }

  /** Fails when a gate connects to replicas that ended, or waits although one is ready. */
  @Test
  void addressesAreForgottenWithinSeconds() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/sun.net=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("5 1");
  }
}
