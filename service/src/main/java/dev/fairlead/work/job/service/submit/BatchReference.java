package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.service.query.Submitted;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The result of a batch as the text that its idempotency key stores: an id for each item, {@code -}
 * for a refused item.
 */
public final class BatchReference {
  private static final String REFUSED = "-";

  private BatchReference() {}

  public static String of(List<BatchResult> results) {
    return results.stream()
        .map(result ->
            switch (result) {
              case BatchResult.Accepted accepted -> accepted.submitted().job().id().text();
              case BatchResult.Refused refused -> REFUSED;
            })
        .collect(Collectors.joining(" "));
  }

  /** Restores the results. The reason for a refusal is not stored. */
  public static List<BatchResult> results(String reference, Function<String, Submitted> stored) {
    List<BatchResult> results = new ArrayList<>();
    for (String item : reference.split(" ", -1)) {
      int index = results.size();
      results.add(
          item.equals(REFUSED)
              ? new BatchResult.Refused(index, refused())
              : new BatchResult.Accepted(index, stored.apply(item)));
    }
    return results;
  }

  private static Refusal refused() {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Refused when this request was first made. Submit the job in a separate request to see the"
            + " reason.");
  }
}
