package dev.fairlead.work.workload.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.transfer.service.spi.TransferReports.Report;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

/** Parsing of the lines of a copier. */
class TransferOutputTest {
  private static Report read(String... lines) throws IOException {
    return TransferOutput.read(new BufferedReader(new StringReader(String.join("\n", lines))));
  }

  private static String progress(long done) {
    return "2030-02-14T09:30:00Z {\"fairlead\": \"transfer\", \"done\": "
        + done
        + ", \"total\": 9}";
  }

  /** Fails when an older line counts, or the program's own text does not. */
  @Test
  void lastReportedLineCounts() throws IOException {
    assertThat(read("noise", progress(1), progress(5), "noise")).isEqualTo(new Report(5, 9, ""));
    assertThat(read(progress(5), "2030-02-14T09:30:01Z transfer: the volume is not empty"))
        .isEqualTo(new Report(5, 9, "the volume is not empty"));
    assertThat(read()).isEqualTo(Report.NONE);
  }

  /** Fails when the reason of a retried attempt is reported for the next one. */
  @Test
  void resumedTransferHasNoReason() throws IOException {
    assertThat(read("transfer: no bucket", progress(2))).isEqualTo(new Report(2, 9, ""));
  }
}
