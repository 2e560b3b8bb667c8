package dev.fairlead.workload.output;

import dev.fairlead.doctor.Check;
import dev.fairlead.doctor.Diagnosis;
import dev.fairlead.log.ChunkStore;
import dev.fairlead.log.ForeignLogStore;
import java.io.IOException;
import java.util.List;
import org.springframework.stereotype.Component;

/** Whether the log store takes what is written. */
@Component
public class LogDiagnosis implements Diagnosis {
  private final ChunkStore store;

  public LogDiagnosis(ChunkStore store) {
    this.store = store;
  }

  @Override
  public String area() {
    return "logs";
  }

  @Override
  public List<Check> look() {
    if (!store.keeps()) {
      return List.of(
          Check.ok(
              area(),
              "store",
              "output is not kept: it goes with its pods, since fairlead.logs.directory and"
                  + " fairlead.logs.s3.bucket are empty"));
    }
    try {
      store.probe();
      return List.of(Check.ok(area(), "store", "takes what is written"));
    } catch (ForeignLogStore foreign) {
      return List.of(refused(foreign, foreign.next()));
    } catch (IOException failed) {
      return List.of(
          refused(
              failed,
              "Make room where logs are kept, or give the service the right to read, write, list and"
                  + " delete there."));
    }
  }

  private Check refused(IOException failed, String next) {
    return Check.problem(
        area(),
        "store",
        "does not take what is written: " + failed.getMessage(),
        next + " See docs/logs.md.");
  }
}
