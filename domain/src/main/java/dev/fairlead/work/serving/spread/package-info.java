/** Model services on several clusters: the order of clusters for a replica, and their shares. */
@NullMarked
package dev.fairlead.work.serving.spread;

import org.jspecify.annotations.NullMarked;
