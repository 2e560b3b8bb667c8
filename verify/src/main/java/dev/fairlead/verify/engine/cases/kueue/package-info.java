/** Cases in Kueue's form: queues, flavors, nodes and requests. */
@NullMarked
package dev.fairlead.verify.engine.cases.kueue;

import org.jspecify.annotations.NullMarked;
