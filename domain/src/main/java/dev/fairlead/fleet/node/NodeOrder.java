package dev.fairlead.fleet.node;

import org.jspecify.annotations.Nullable;

/** An order about a node by an operator, a drain or health. */
public enum NodeOrder {
  /** Accepts nothing new. Current work continues. */
  CORDON(Cordon.ORDERED),
  /** Accepts no new members and is emptied. */
  DRAIN(Cordon.ORDERED),
  /** Is no longer emptied, but still accepts no new members. */
  END_DRAIN(Cordon.ORDERED),
  /** Returns to service as soon as its cluster reports it schedulable. */
  UNCORDON(Cordon.LIFTED),
  /** The cluster no longer shows Fairlead's cordon. */
  SETTLE(Cordon.NONE),
  /** Accepts no new members because of its health. A cordon does not change. */
  QUARANTINE(null),
  /** The node's health no longer excludes it. The next report of its cluster decides its state. */
  RELEASE(null);

  private final @Nullable Cordon cordon;

  NodeOrder(@Nullable Cordon cordon) {
    this.cordon = cordon;
  }

  /** Returns the cordon after the order, given the current cordon. */
  public Cordon after(Cordon before) {
    boolean nothingToLift = this == UNCORDON && before == Cordon.NONE;
    boolean orderedAgain = this == SETTLE && before != Cordon.LIFTED;
    boolean liftedMeanwhile = this == END_DRAIN && before != Cordon.ORDERED;
    return cordon == null || nothingToLift || orderedAgain || liftedMeanwhile ? before : cordon;
  }

  /** Returns the state after the order. Only a report returns a node to service. */
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
