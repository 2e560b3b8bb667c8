package dev.fairlead.care.health.web;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Xid;

/** Scope that the first event of a code takes out of service. */
enum RuleScope {
  NONE,
  GPU,
  /** A GPU, at the second burst within 24 hours. */
  GPU_ON_REPEAT,
  NODE;

  FaultScope scope() {
    return switch (this) {
      case NONE -> FaultScope.NONE;
      case GPU, GPU_ON_REPEAT -> FaultScope.GPU;
      case NODE -> FaultScope.NODE;
    };
  }

  boolean onRepeat() {
    return this == GPU_ON_REPEAT;
  }

  static RuleScope of(Xid xid) {
    return switch (xid.scope()) {
      case NONE -> NONE;
      case GPU -> xid.onRepeat() ? GPU_ON_REPEAT : GPU;
      case NODE -> NODE;
    };
  }
}
