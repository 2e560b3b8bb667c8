/** Cost of the replicas of model services, and of their tokens. */
@NullMarked
package dev.fairlead.work.serving.cost;

import org.jspecify.annotations.NullMarked;
