/** Judgement of an attempt by the observed state of its pods. */
@NullMarked
package dev.fairlead.work.workload.judgement;

import org.jspecify.annotations.NullMarked;
