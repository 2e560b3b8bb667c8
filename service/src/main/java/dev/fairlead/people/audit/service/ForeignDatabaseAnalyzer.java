package dev.fairlead.people.audit.service;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong and what to do, in place of a stack. */
final class ForeignDatabaseAnalyzer extends AbstractFailureAnalyzer<ForeignDatabase> {
  @Override
  protected FailureAnalysis analyze(Throwable root, ForeignDatabase foreign) {
    return new FailureAnalysis(foreign.getMessage(), foreign.next(), foreign);
  }
}
