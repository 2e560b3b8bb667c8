package dev.fairlead.people.audit.service;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the cause and the next step instead of a stack trace. */
final class ForeignDatabaseAnalyzer extends AbstractFailureAnalyzer<ForeignDatabase> {
  @Override
  protected FailureAnalysis analyze(Throwable root, ForeignDatabase foreign) {
    return new FailureAnalysis(foreign.getMessage(), foreign.next(), foreign);
  }
}
