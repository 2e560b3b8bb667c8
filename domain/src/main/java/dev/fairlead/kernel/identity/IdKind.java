package dev.fairlead.kernel.identity;

/** Kind of object that an identifier names, with the prefix of its text. */
public enum IdKind {
  JOB("job"),
  ATTEMPT("att"),
  PROJECT("prj"),
  TENANT("ten"),
  QUEUE("que"),
  CLUSTER("clu"),
  NODE("nod"),
  GPU("gpu"),
  EVENT("evt"),
  OPERATION("opr"),
  TOKEN("tok"),
  INCIDENT("inc"),
  QUARANTINE("qua"),
  DOMAIN_QUARANTINE("dqu"),
  POOL("pol"),
  PRICE("pri"),
  BUDGET("bud"),
  SUPPLY_REQUEST("sup"),
  REPAIR("rep"),
  REPAIR_TASK("rpt"),
  CAMPAIGN("cmp"),
  HEALTH_TEST_RUN("htr"),
  ADVANCE_RESERVATION("rsv"),
  TRANSFER("trf"),
  VOLUME("vol"),
  WEBHOOK("whk"),
  MODEL_SERVICE("svc"),
  SCHEDULE("sch");

  private final String prefix;

  IdKind(String prefix) {
    this.prefix = prefix;
  }

  public String prefix() {
    return prefix;
  }
}
