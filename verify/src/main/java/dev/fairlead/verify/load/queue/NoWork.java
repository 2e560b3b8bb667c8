package dev.fairlead.verify.load.queue;

import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/** A job of JobRunr that does nothing. Public because JobRunr uses reflection. */
public final class NoWork implements JobRequest {
  @Override
  public Class<Handler> getJobRequestHandler() {
    return Handler.class;
  }

  /** Runs it. */
  public static final class Handler implements JobRequestHandler<NoWork> {
    @Override
    public void run(NoWork request) {}
  }
}
