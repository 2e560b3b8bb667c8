/** Optional features of the routes of model services. */
@NullMarked
package dev.fairlead.work.serving.traffic;

import org.jspecify.annotations.NullMarked;
