package dev.fairlead.kernel.postgres;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the problem and the next step instead of a stack trace. */
final class UnfitDatabaseAnalyzer extends AbstractFailureAnalyzer<UnfitDatabase> {
  @Override
  protected FailureAnalysis analyze(Throwable root, UnfitDatabase unfit) {
    return new FailureAnalysis(unfit.getMessage(), unfit.next(), unfit);
  }
}
