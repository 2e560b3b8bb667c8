package dev.fairlead.people.security;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports why the service did not start and the settings to change, instead of a stack trace. */
final class UnsafeEntranceAnalyzer extends AbstractFailureAnalyzer<UnsafeEntrance> {
  @Override
  protected FailureAnalysis analyze(Throwable root, UnsafeEntrance cause) {
    return new FailureAnalysis(cause.getMessage() + ".", cause.remedy() + ".", cause);
  }
}
