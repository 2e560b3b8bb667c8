package dev.fairlead.work.explanation;

/** Reason why a job does not start, in rank order: the first that holds is shown first. */
public enum Reason {
  HELD(ReasonClass.USER_ACTION),
  MISCONFIGURED(ReasonClass.USER_ACTION),
  NEVER_FITS(ReasonClass.USER_ACTION),
  QUEUE_STOPPED(ReasonClass.ADMIN_ACTION),
  NOT_BEFORE(ReasonClass.WAIT),
  WINDOW_CLOSED(ReasonClass.WAIT),
  DEPENDENCY(ReasonClass.WAIT),
  ADMISSION_CHECK(ReasonClass.WAIT),
  BUDGET_SPENT(ReasonClass.ADMIN_ACTION),
  USER_LIMIT(ReasonClass.WAIT),
  QUEUE_LIMIT(ReasonClass.WAIT),
  LICENCE(ReasonClass.WAIT),
  QUOTA(ReasonClass.WAIT),
  FAIR_SHARE(ReasonClass.WAIT),
  RESERVATION_CONFLICT(ReasonClass.WAIT),
  BOOKED(ReasonClass.WAIT),
  QUARANTINED(ReasonClass.WAIT),
  TOPOLOGY(ReasonClass.WAIT),
  STOCK_OUT(ReasonClass.WAIT),
  CAPACITY(ReasonClass.WAIT),
  ROUTING(ReasonClass.WAIT),
  STORAGE(ReasonClass.WAIT),
  CLUSTER_UNAVAILABLE(ReasonClass.WAIT),
  RATE_LIMIT(ReasonClass.WAIT),
  WAITING_FOR_VICTIMS(ReasonClass.WAIT),
  PREFLIGHT(ReasonClass.WAIT),
  BACKING_OFF(ReasonClass.WAIT),
  NOT_EVALUATED(ReasonClass.WAIT);

  private final ReasonClass reasonClass;

  Reason(ReasonClass reasonClass) {
    this.reasonClass = reasonClass;
  }

  public ReasonClass reasonClass() {
    return reasonClass;
  }
}
