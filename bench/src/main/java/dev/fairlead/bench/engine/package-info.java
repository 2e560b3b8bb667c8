/** Speed of the scheduling engine, measured with JMH. */
@NullMarked
package dev.fairlead.bench.engine;

import org.jspecify.annotations.NullMarked;
