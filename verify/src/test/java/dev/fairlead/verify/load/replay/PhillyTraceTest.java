package dev.fairlead.verify.load.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.verify.BadInput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhillyTraceTest {
  private static final String HEADING = "timestamp,duration,num_gpus,gpu_time,cluster\n";
  private static final String GOOD = "2017-10-09 07:01:55,66.5,1,66.5,11cb48\n";

  @TempDir Path traces;
  private Path directory;

  @BeforeEach
  void directory() throws IOException {
    directory = Files.createDirectory(traces.resolve("philly-2017"));
    Files.writeString(directory.resolve("philly_vc_nodes.csv"), "vc,node num\n11cb48,16\n");
  }

  @Test
  void jobsAreOrderedBySubmissionAndATrailingEmptyLineIsNoJob() throws IOException {
    jobs(HEADING + GOOD + "2017-10-09 06:00:00,10,4,40,6214e9\n\n");
    PhillyTrace trace = PhillyTrace.read(traces);
    assertThat(trace.jobs())
        .extracting(TraceJob::virtualCluster)
        .containsExactly("6214e9", "11cb48");
    assertThat(trace.jobs().getLast().run()).isEqualTo(Duration.ofMillis(66_500));
    assertThat(trace.virtualClusters()).containsExactly("11cb48", "6214e9");
    assertThat(trace.nodes()).containsEntry("11cb48", 16);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "2017-10-09,66,1,66,11cb48; timestamp: expected a time like 2017-10-09 07:01:55, found"
            + " \"2017-10-09\"",
        "2017-10-09 07:01:55,-1,1,66,11cb48; duration: expected seconds, 0 or more, found \"-1\"",
        "2017-10-09 07:01:55,66,0,66,11cb48; num_gpus: expected a whole number, 1 or more, found"
            + " \"0\"",
        "2017-10-09 07:01:55,66,1.5,66,11cb48; num_gpus: expected a whole number, 1 or more, found"
            + " \"1.5\"",
        "2017-10-09 07:01:55,66,1,66,A/B; cluster: expected the id of a virtual cluster, found"
            + " \"A/B\""
      })
  void aBadFieldIsNamedWithFileLineAndColumn(String line, String message) throws IOException {
    jobs(HEADING + GOOD + line + "\n");
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .isInstanceOf(BadInput.class)
        .hasMessage(directory.resolve("philly_jobs.csv.gz") + ":3: column " + message);
  }

  @Test
  void aMissingColumnIsNamed() throws IOException {
    jobs("timestamp,duration,gpus,gpu_time,cluster\n" + GOOD);
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .isInstanceOf(BadInput.class)
        .hasMessageContainingAll("column num_gpus", "1 or more");
  }

  @Test
  void aLineOfAnotherLengthIsNamed() throws IOException {
    jobs(HEADING + GOOD + "2017-10-09 07:01:55,66\n");
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .isInstanceOf(BadInput.class)
        .hasMessage(
            directory.resolve("philly_jobs.csv.gz")
                + ":3: expected 5 fields as in the heading, found 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "timestamp,timestamp,x,y,cluster; :1: column timestamp: expected once, found twice",
        "''; : expected a heading and at least one row",
        "timestamp,duration,num_gpus,gpu_time,cluster; : expected a heading and at least one row"
      })
  void unusableHeaderIsNamed(String heading, String message) throws IOException {
    jobs(heading + "\n");
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .isInstanceOf(BadInput.class)
        .hasMessage(directory.resolve("philly_jobs.csv.gz") + message);
  }

  @Test
  void unclosedQuotationMarkIsNamed() throws IOException {
    jobs(HEADING + "\"2017-10-09 07:01:55,66,1,66,11cb48\n" + GOOD);
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .hasMessageContaining(":2: expected 5 fields")
        .hasMessageEndingWith("is not closed");
  }

  @Test
  void byteOrderMarkAndForeignLineEndingsAreAccepted() throws IOException {
    jobs("\uFEFF" + (HEADING + GOOD).replace("\n", "\r\n"));
    assertThat(PhillyTrace.read(traces).jobs()).hasSize(1);
  }

  @Test
  void binaryInputIsNamed() throws IOException {
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(directory.resolve("philly_jobs.csv.gz")))) {
      out.write(new byte[] {(byte) 0xFF, (byte) 0xFE, 0, 1});
    }
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .hasMessageContaining("expected CSV in UTF-8");
  }

  @Test
  void uncompressedFileIsNamed() throws IOException {
    Files.writeString(directory.resolve("philly_jobs.csv.gz"), HEADING + GOOD);
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("philly_jobs.csv.gz cannot be read");
  }

  @Test
  void missingTracesReportTheSearchedPath() {
    Path nowhere = traces.resolve("nowhere");
    assertThatThrownBy(() -> PhillyTrace.read(nowhere))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("Set FAIRLEAD_TRACES");
    assertThatThrownBy(() -> PhillyTrace.read(traces))
        .isInstanceOf(BadInput.class)
        .hasMessageEndingWith("philly_jobs.csv.gz is missing");
  }

  private void jobs(String text) throws IOException {
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(directory.resolve("philly_jobs.csv.gz")))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
