package dev.fairlead.work.job.service;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Transition;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes one log line in a fixed form for every transition. */
final class TransitionJournal implements Consumer<Transition> {
  private static final Logger LOG = LoggerFactory.getLogger("dev.fairlead.transition");

  @Override
  public void accept(Transition transition) {
    if (!LOG.isInfoEnabled()) {
      return;
    }
    Attempt attempt = transition.attempt();
    LOG.info(
        "job={} attempt={} to={} attemptTo={} event={} actor={} epoch={} reason={}",
        transition.job().id().text(),
        attempt == null ? "-" : attempt.id().text(),
        transition.job().state(),
        attempt == null ? "-" : attempt.state(),
        transition.facts().isEmpty() ? "-" : transition.facts().getLast().type(),
        transition.actor(),
        attempt == null ? "-" : attempt.epoch(),
        attempt == null || attempt.failure() == null ? "-" : attempt.failure().cause());
  }
}
