package dev.fairlead.fleet.node;

import org.jspecify.annotations.Nullable;

/** What an operator, a drain or health orders about a node. */
public enum NodeOrder {
  /** Takes nothing new, keeps what it has. */
  CORDON(Cordon.ORDERED),
  /** Takes nothing new and is emptied. */
  DRAIN(Cordon.ORDERED),
  /** Is emptied no longer, and still takes nothing new. */
  END_DRAIN(Cordon.ORDERED),
  /** Back into use, as soon as its cluster reports it free. */
  UNCORDON(Cordon.LIFTED),
  /** Our mark is gone from the cluster. */
  SETTLE(Cordon.NONE),
  /** Takes nothing new for its health; a cordon stays as it is. */
  QUARANTINE(null),
  /** Nothing speaks against its health any more; its cluster's next report says what it is. */
  RELEASE(null);

  private final @Nullable Cordon cordon;

  NodeOrder(@Nullable Cordon cordon) {
    this.cordon = cordon;
  }

  /** The cordon after the order, given the one before. */
  public Cordon after(Cordon before) {
    boolean nothingToLift = this == UNCORDON && before == Cordon.NONE;
    boolean orderedAgain = this == SETTLE && before != Cordon.LIFTED;
    boolean liftedMeanwhile = this == END_DRAIN && before != Cordon.ORDERED;
    return cordon == null || nothingToLift || orderedAgain || liftedMeanwhile ? before : cordon;
  }

  /** The state after the order; only a report brings a node back into use. */
  public NodeState after(NodeState before) {
    NodeEvent event =
        switch (this) {
          case CORDON -> NodeEvent.CORDON;
          case DRAIN -> NodeEvent.DRAIN;
          case END_DRAIN, UNCORDON -> NodeEvent.DRAIN_ENDED;
          case SETTLE -> null;
          case QUARANTINE -> NodeEvent.QUARANTINE;
          case RELEASE -> NodeEvent.RELEASE;
        };
    return event == null ? before : NodeLifecycle.TABLE.next(before, event).orElse(before);
  }
}
