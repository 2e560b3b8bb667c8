package dev.fairlead.verify.engine.cases.form;

/** Facts of cases that the product does not support. The page on differences lists them. */
public enum Missing {
  CHECKS("checks outside that a job waits for"),
  DEVICE_CLAIMS("device claims"),
  FEWEST_OVER_UNEQUAL("fewest tasks counted over unequal tasks"),
  FLAVOR_GROUPS("several flavor groups in one member"),
  FLAVOR_FOR_TOPOLOGY("a flavor for tasks with a topology alone"),
  GANG_IN_PART("a gang that runs in part"),
  GROUP_BELOW_QUEUES("a group that owns less than its queues"),
  LIMIT_ABOVE_UNLIMITED("a limit above queues without one"),
  LIMIT_RANGES("limit ranges"),
  MANY_RESOURCES("more than two counted resources"),
  MIG_SINGLE("GPUs cut all alike"),
  NAMESPACES("a queue that takes jobs of some namespaces only"),
  NODE_AFFINITY("node affinity beyond one value of a label"),
  NODE_LIST("a list of nodes that a task may use"),
  NODE_OF_FLAVORS("a node of several flavors"),
  NODE_REPLACEMENT("node replacement"),
  ONE_STRATEGY("exactly one of the two fair-sharing strategies"),
  PARTS_OF_SEVERAL_GPUS("a part of each of several GPUs"),
  PODS_QUOTA("quota of pods"),
  QUEUE_PRIORITY("priority of a queue in the division"),
  QUOTA_OVER_FLAVORS("one quota over several flavors"),
  RELEASED("tasks that finish before their job"),
  RESIZE("resize by a second job"),
  SECOND_PASS("second pass"),
  SELECTOR_BY_TASK("node labels that differ by task"),
  SEVERAL_PROFILES("slices of several profiles in one task"),
  SLICE_LAYERS("several slices, one inside the other or by task"),
  SLICE_OF_OLD_KIND("slices in the old notation"),
  SUB_GROUP_TOPOLOGY("a topology of some sub-groups together"),
  TOLERATIONS("tolerations"),
  WEIGHTED_USERS("weights of users");

  private final String text;

  Missing(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
