/** Cases in the form of Kueue: queues, flavors, nodes and requests. */
@NullMarked
package dev.fairlead.bench.cases.kueue;

import org.jspecify.annotations.NullMarked;
