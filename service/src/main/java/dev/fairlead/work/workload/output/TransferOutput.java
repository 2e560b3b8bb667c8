package dev.fairlead.work.workload.output;

import dev.fairlead.data.transfer.service.spi.TransferReports;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Job;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Reads the reports of transfer programs from the last lines of their output. */
@Component
class TransferOutput implements TransferReports {
  private static final Logger LOG = LoggerFactory.getLogger(TransferOutput.class);
  private static final int LAST = 10;
  private static final int LONGEST = 1000;
  private static final Pattern PROGRESS =
      Pattern.compile(
          "\\{\"fairlead\": \"transfer\", \"done\": (\\d{1,18}), \"total\": (\\d{1,18})}");
  private static final Pattern REASON = Pattern.compile("\\btransfer: (.+)");

  private final JobOutput output;

  TransferOutput(JobOutput output) {
    this.output = output;
  }

  @Override
  public Report of(Job job) {
    Actor actor = new Actor(job.tenant(), job.user(), Role.TENANT_MEMBER);
    try (InputStream lines =
        output.open(
            output.source(
                actor, job.id(), new JobOutput.Request(null, null, 0, LAST, null, false)))) {
      return read(new BufferedReader(new InputStreamReader(lines, StandardCharsets.UTF_8)));
    } catch (Refusal | IOException away) {
      LOG.debug("the output of {} was not read", job.name(), away);
      return Report.NONE;
    }
  }

  static Report read(BufferedReader lines) throws IOException {
    Report report = Report.NONE;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher progress = PROGRESS.matcher(line);
      Matcher reason = REASON.matcher(line);
      if (progress.find()) {
        long done = Long.parseLong(progress.group(1));
        report = new Report(done, Long.parseLong(progress.group(2)), "");
      } else if (reason.find()) {
        String why = reason.group(1);
        String cut = why.substring(0, Math.min(LONGEST, why.length()));
        report = new Report(report.done(), report.total(), cut);
      }
    }
    return report;
  }
}
