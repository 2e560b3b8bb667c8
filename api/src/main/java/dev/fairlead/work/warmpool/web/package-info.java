/** Warm pools over REST. */
@NullMarked
package dev.fairlead.work.warmpool.web;

import org.jspecify.annotations.NullMarked;
