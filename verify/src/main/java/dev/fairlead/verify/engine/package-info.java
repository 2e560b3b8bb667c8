/** Speed of the scheduling engine, measured with JMH. */
@NullMarked
package dev.fairlead.verify.engine;

import org.jspecify.annotations.NullMarked;
