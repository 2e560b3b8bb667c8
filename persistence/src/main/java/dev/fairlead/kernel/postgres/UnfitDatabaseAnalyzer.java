package dev.fairlead.kernel.postgres;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong and what to do, in place of a stack. */
final class UnfitDatabaseAnalyzer extends AbstractFailureAnalyzer<UnfitDatabase> {
  @Override
  protected FailureAnalysis analyze(Throwable root, UnfitDatabase unfit) {
    return new FailureAnalysis(unfit.getMessage(), unfit.next(), unfit);
  }
}
