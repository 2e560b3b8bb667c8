package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class KubeletOutputTest {
  private static final String FAILURE =
      "unable to retrieve container logs for containerd://0123456789abcdef";
  private static final String LINE = "2030-01-01T00:00:01.5Z text\n";

  private static String read(String body, boolean fromTheStart) throws IOException {
    InputStream bytes = new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8));
    try (InputStream output = new KubeletOutput(bytes, fromTheStart)) {
      return new String(output.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Fails when a kubelet's error with status 200 is stored as output of the member. */
  @Test
  void unreadableKubeletOutputIsAFailure() {
    assertThatThrownBy(() -> read(FAILURE, true))
        .isInstanceOf(IOException.class)
        .hasMessage(FAILURE);
    assertThatThrownBy(() -> read(FAILURE, false)).hasMessage(FAILURE);
    assertThatThrownBy(() -> read("any other words\n", true)).hasMessage("any other words");
  }

  @Test
  void linesAreUnchanged() throws IOException {
    assertThat(read("", true)).isEmpty();
    assertThat(read(LINE + FAILURE, true)).isEqualTo(LINE + FAILURE);
    assertThat(read("rest of a line\n" + LINE, false)).isEqualTo("rest of a line\n" + LINE);
  }

  /** Fails when a followed line is delivered only after the next line is written. */
  @Test
  void shortFirstLineIsReadBeforeTheNextLineIsWritten() throws IOException {
    InputStream silent =
        new InputStream() {
          @Override
          public int read() {
            throw new AssertionError("a follower would wait here");
          }
        };
    InputStream bytes = new ByteArrayInputStream(LINE.getBytes(StandardCharsets.UTF_8));
    byte[] buffer = new byte[1000];

    try (InputStream output = new KubeletOutput(new SequenceInputStream(bytes, silent), true)) {
      int read = output.read(buffer, 0, buffer.length);
      assertThat(new String(buffer, 0, read, StandardCharsets.UTF_8)).isEqualTo(LINE);
    }
  }
}
