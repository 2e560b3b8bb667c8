package dev.fairlead.verify.engine.timelapse;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;

/** Writes a run as CSV: jobs, queues and the timeline. */
public final class CsvTables {
  private CsvTables() {}

  /** Writes {@code <directory>/<sharing>-jobs.csv}, {@code -queues.csv}, {@code -timeline.csv}. */
  public static void write(Run run, Path directory) {
    try {
      String name = run.sharing().text();
      jobs(run, directory.resolve(name + "-jobs.csv"));
      queues(run, directory.resolve(name + "-queues.csv"));
      timeline(run, directory.resolve(name + "-timeline.csv"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void jobs(Run run, Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().build(file)) {
      csv.writeRecord(
          "job",
          "queue",
          "gpus",
          "submitted_s",
          "run_s",
          "started_s",
          "ended_s",
          "waited_s",
          "preemptions",
          "finish_time_fairness");
      for (Outcome o : run.result().outcomes()) {
        csv.writeRecord(
            o.job().name(),
            o.job().queue(),
            number(o.job().gpuMilli() / 1000.0),
            Long.toString(o.job().submitted()),
            Long.toString(o.job().run()),
            o.ran() ? Long.toString(o.started()) : "",
            o.ran() ? Long.toString(o.ended()) : "",
            o.ran() ? Long.toString(o.waited()) : "",
            Integer.toString(o.preemptions()),
            run.fairness(o) > 0 ? number(run.fairness(o)) : "");
      }
    }
  }

  private static void queues(Run run, Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().build(file)) {
      csv.writeRecord(
          "queue",
          "jobs",
          "ran",
          "wait_p50_s",
          "wait_p90_s",
          "wait_p99_s",
          "wait_mean_s",
          "private_wait_p99_s",
          "private_wait_mean_s",
          "fairness_worst",
          "fairness_above_1",
          "preemptions");
      for (Run.Part p : run.queues()) {
        csv.writeRecord(
            p.queue(),
            Integer.toString(p.jobs()),
            Integer.toString(p.ran()),
            Long.toString(p.waits().at(50).toSeconds()),
            Long.toString(p.waits().at(90).toSeconds()),
            Long.toString(p.waits().at(99).toSeconds()),
            number(p.meanWait()),
            Long.toString(p.privateWaits().at(99).toSeconds()),
            number(p.privateMeanWait()),
            number(p.worst()),
            number(p.aboveOne()),
            Integer.toString(p.preemptions()));
      }
    }
  }

  private static void timeline(Run run, Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().build(file)) {
      csv.writeRecord("from_s", "gpus", "used", "fragmented", "waiting", "running_jobs");
      for (Interval m : run.result().moments()) {
        csv.writeRecord(
            Long.toString(m.from()),
            Integer.toString(run.trace().gpus()),
            number(m.used()),
            number(m.fragmented()),
            number(m.waiting()),
            number(m.running()));
      }
    }
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
