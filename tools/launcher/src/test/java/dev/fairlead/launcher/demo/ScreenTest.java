package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @Test
  void aTableIsAligned() {
    assertThat(
            JobLines.lines(
                List.of(job("sweep", "QUEUED", "no room"), job("hello-gpu", "SUCCEEDED", "")),
                false))
        .containsExactly(
            "NAME       STATE          TIME  PLACE/REASON",
            "sweep      QUEUED         1.5s  no room",
            "hello-gpu  SUCCEEDED      1.5s");
  }

  @Test
  void timesAreShort() {
    assertThat(JobLines.time(Duration.ofMillis(940))).isEqualTo("0.9s");
    assertThat(JobLines.time(Duration.ofMillis(59_990))).isEqualTo("59.9s");
    assertThat(JobLines.time(Duration.ofSeconds(65))).isEqualTo("1m05s");
  }

  /** Fails without a copy of the last line: each update would print every job again. */
  @Test
  void onlyChangesAreAppendedWithoutATerminal() {
    Screen screen = new Screen.Plain(out);
    screen.show(List.of(job("a", "QUEUED", "")));
    screen.show(List.of(job("a", "QUEUED", "")));
    screen.show(List.of(job("a", "RUNNING", "eu-1")));
    assertThat(printed().lines()).hasSize(2).allMatch(line -> !line.contains("\u001b"));
  }

  @Test
  void terminalIsRedrawnInPlaceAndWithoutColourOnRequest() {
    Screen screen = new Screen.Live(out, false);
    screen.show(List.of(job("a", "QUEUED", "")));
    screen.say("a line that stays");
    assertThat(printed())
        .contains("\u001b[2A\r\u001b[Ja line that stays\n")
        .doesNotContain("\u001b[33m");
    new Screen.Live(out, true).show(List.of(job("a", "QUEUED", "")));
    assertThat(printed()).contains("\u001b[33mQUEUED");
  }

  private String printed() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static JobLine job(String name, String state, String place) {
    return new JobLine("job_" + name, name, state, place, "", "", 0, null, Duration.ofMillis(1500));
  }
}
