package dev.fairlead.verify.simulation.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TLC checks every state of each model. A mutant that omits a guard must fail. Each model is in
 * {@code resources/models} with its assumptions.
 */
class ModelsTest {
  private static final long LONGEST_SECONDS = 900;
  private static final int HOLDS = 0;
  private static final int INVARIANT_BROKEN = 12;
  private static final int PROPERTY_BROKEN = 13;

  /**
   * Classes as the first of these JVMs loaded them: a start takes 1.7 instead of 2.8 CPU seconds.
   */
  @TempDir private static Path archive;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"AttemptLease", "GangLaunch", "QuotaTree", "EventStream"})
  void modelSatisfiesItsInvariants(String model) throws IOException, InterruptedException {
    assertThat(check(model, "")).isEqualTo(HOLDS);
  }

  @ParameterizedTest
  @CsvSource({
    "AttemptLease, ClusterFence, 12",
    "GangLaunch, Whole, 13",
    "QuotaTree, Locked, 12",
    "EventStream, BelowOldest, 12"
  })
  void modelFailsWithoutAGuard(String model, String guard, int code)
      throws IOException, InterruptedException {
    assertThat(code).isIn(INVARIANT_BROKEN, PROPERTY_BROKEN);
    assertThat(check(model, guard)).isEqualTo(code);
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "AttemptLease, Evidence, 12",
    "AttemptLease, Resolved, 12",
    "GangLaunch, DeadFirst, 12",
    "QuotaTree, WholePath, 12",
    "QuotaTree, OnlyBorrowers, 13",
    "QuotaTree, Promised, 13",
    "QuotaTree, Once, 12",
    "EventStream, BehindEarlier, 12"
  })
  void modelFailsWithoutAnyOtherGuard(String model, String guard, int code)
      throws IOException, InterruptedException {
    assertThat(code).isIn(INVARIANT_BROKEN, PROPERTY_BROKEN);
    assertThat(check(model, guard)).isEqualTo(code);
  }

  /** Exit code of TLC, which has static state and therefore runs in a separate JVM. */
  private int check(String model, String leftOut) throws IOException, InterruptedException {
    String rules = resource(model + ".cfg");
    if (!leftOut.isEmpty()) {
      assertThat(rules).contains(leftOut + " = TRUE");
      rules = rules.replace(leftOut + " = TRUE", leftOut + " = FALSE");
    }
    Files.writeString(directory.resolve(model + ".tla"), resource(model + ".tla"));
    Files.writeString(directory.resolve(model + ".cfg"), rules);
    Path output = directory.resolve("output");
    Process tlc =
        new ProcessBuilder(command(model))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!tlc.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      tlc.destroyForcibly();
      throw new AssertionError(model + " took too long:\n" + Files.readString(output));
    }
    assertThat(Files.readString(output)).contains("states generated");
    return tlc.exitValue();
  }

  /**
   * One worker and the first compiler: most of these JVMs end before two would have paid. Temporal
   * properties are checked at the end: an earlier check suspends the worker and can miss the
   * suspension ({@code StateQueue.suspendAll}, tlaplus/tlaplus#1438), which hung a run on a busy
   * machine.
   */
  private static List<String> command(String model) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+AutoCreateSharedArchive",
        "-XX:SharedArchiveFile=" + archive.resolve("tlc.jsa"),
        "-cp",
        Path.of(tlc2.TLC.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .toString(),
        tlc2.TLC.class.getName(),
        "-workers",
        "1",
        "-lncheck",
        "final",
        "-config",
        model + ".cfg",
        model + ".tla");
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = ModelsTest.class.getResourceAsStream("/models/" + name)) {
      assertThat(in).as(name).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
