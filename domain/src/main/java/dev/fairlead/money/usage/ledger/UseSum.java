package dev.fairlead.money.usage.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A row of a report.
 *
 * @param key dimensions of the report
 * @param names names of the objects when the report is read
 * @param beginMillis start of its period
 * @param amount in the unit of the kind
 */
public record UseSum(UseKey key, Names names, long beginMillis, long amount) {
  /**
   * Names of objects, null for an object that no longer exists, or if the report has no such
   * dimension.
   *
   * @param costCentre cost centre of the project, null if none
   */
  public record Names(
      @Nullable String tenant,
      @Nullable String project,
      @Nullable String queue,
      @Nullable String cluster,
      @Nullable String costCentre) {
    public static final Names NONE = new Names(null, null, null, null, null);
  }

  /** Name of the tenant, or its id after its deletion, null without a tenant. */
  public @Nullable String tenant() {
    return key.tenant() == null ? null : name(names.tenant(), UseDimension.TENANT);
  }

  /** Name of the project, or its id after its deletion. */
  public String project() {
    return name(names.project(), UseDimension.PROJECT);
  }

  /** Name of the queue, or its id after its deletion. */
  public String queue() {
    return name(names.queue(), UseDimension.QUEUE);
  }

  /** Name of the cluster, or its id after its deletion. */
  public String cluster() {
    return name(names.cluster(), UseDimension.CLUSTER);
  }

  /** The value of a dimension, or the name of its object. */
  public String shown(UseDimension dimension) {
    return switch (dimension) {
      case PROJECT -> project();
      case QUEUE -> queue();
      case CLUSTER -> cluster();
      default -> dimension.shown(key.text(dimension));
    };
  }

  private String name(@Nullable String name, UseDimension dimension) {
    return name == null ? dimension.shown(key.text(dimension)) : name;
  }
}
