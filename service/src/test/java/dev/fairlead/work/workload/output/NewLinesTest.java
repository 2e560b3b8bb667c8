package dev.fairlead.work.workload.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.log.LogPosition;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewLinesTest {
  private static final String A = "2030-01-01T00:00:01.100000001Z a\n";
  private static final String B = "2030-01-01T00:00:01.100000001Z b\n";
  private static final String C = "2030-01-01T00:00:02.000000000Z c\n";
  private static final Instant NOW = Instant.parse("2030-01-02T00:00:00Z");
  private LogPosition position = LogPosition.START;

  private List<String> read(String output) throws IOException {
    return read(output.getBytes(StandardCharsets.UTF_8));
  }

  private List<String> read(byte[] output) throws IOException {
    List<String> taken = new ArrayList<>();
    NewLines lines = lines(output);
    for (NewLines.NewLine line = lines.next(); line != null; line = lines.next()) {
      if (!line.line().ended()) {
        break;
      }
      taken.add(new String(line.line().shown(), StandardCharsets.ISO_8859_1));
      lines.take(line);
    }
    position = lines.position();
    return taken;
  }

  private NewLines lines(byte[] output) {
    return new NewLines(
        OutputLines.ofCluster(new ByteArrayInputStream(output), InstantSource.fixed(NOW)),
        position);
  }

  /** Fails when lines with equal times are distinguished only by the time. */
  @Test
  void linesWithEqualTimesAreReadOnceEach() throws IOException {
    assertThat(read(A)).containsExactly("a");
    assertThat(read(A + B)).containsExactly("b");
    assertThat(read(A + B)).isEmpty();
    assertThat(read(A + B + C)).containsExactly("c");
    assertThat(read(C)).isEmpty();
  }

  @Test
  void lateLineWithAnEarlierTimestampIsRead() throws IOException {
    String later = "2030-01-01T00:00:01.900Z later\n";
    assertThat(read(later)).containsExactly("later");
    assertThat(read(later + A)).containsExactly("a");
    assertThat(read(later + A)).isEmpty();
  }

  @Test
  void lineIsReadOnceComplete() throws IOException {
    assertThat(read(A + B.strip())).containsExactly("a");
    assertThat(read(A + B)).containsExactly("b");
  }

  @Test
  void linesDroppedByTheClusterAreDetected() throws IOException {
    read(A + B);
    NewLines lines = lines(C.getBytes(StandardCharsets.UTF_8));
    lines.next();
    assertThat(lines.missingSince()).isEqualTo("2030-01-01T00:00:01.100000001Z");
  }

  @Test
  void dropOfLinesAlreadyReadIsNotAGap() throws IOException {
    read(A + "2030-01-01T00:00:01.5Z x\n");
    NewLines lines = lines(("2030-01-01T00:00:01.5Z x\n" + C).getBytes(StandardCharsets.UTF_8));
    NewLines.NewLine next = lines.next();
    assertThat(next.line().text()).isEqualTo("c".getBytes(StandardCharsets.UTF_8));
    assertThat(lines.missingSince()).isNull();
  }

  @Test
  void startOfAnEndlessLineIsRetainedAndTheRestCounted() throws IOException {
    int bytes = 100 * 1024 * 1024;
    byte[] output = new byte[bytes];
    Arrays.fill(output, (byte) 'x');
    byte[] begin = "2030-01-01T00:00:01Z ".getBytes(StandardCharsets.UTF_8);
    System.arraycopy(begin, 0, output, 0, begin.length);
    output[bytes - 1] = '\n';

    String line = read(output).getFirst();

    assertThat(line)
        .startsWith("x".repeat(OutputLines.LONGEST))
        .endsWith(
            "[fairlead: %d further bytes of this line are not stored]"
                .formatted(bytes - begin.length - 1 - OutputLines.LONGEST));
  }

  @Test
  void otherBytesAreUnchanged() throws IOException {
    byte[] output = "2030-01-01T00:00:01Z ....\n".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 4; i++) {
      output[21 + i] = (byte) (0xff - i);
    }
    assertThat(read(output)).containsExactly("\u00ff\u00fe\u00fd\u00fc");
  }

  @Test
  void linesWithoutTimesAreCounted() throws IOException {
    assertThat(read("a\n")).containsExactly("a");
    assertThat(read("a\nb\n")).containsExactly("b");
  }

  /** Fails when any text that can be parsed is a time: the database refuses the year 10000. */
  @ParameterizedTest
  @ValueSource(strings = {"+10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "2030-01-03T00:00:01Z"})
  void aForgedTimeInTheRestOfALineIsText(String forged) throws IOException {
    read(A + C);
    assertThat(read(forged + " x\n" + C + A.replace(":01.1", ":03.1"))).containsExactly("a");
    assertThat(position.last()).isEqualTo("2030-01-01T00:00:03.100000001Z");
  }

  @Test
  void restOfAnEarlierLineIsNotReadAgain() throws IOException {
    read(A + C);
    assertThat(read("rest of a\n" + C)).isEmpty();
  }
}
