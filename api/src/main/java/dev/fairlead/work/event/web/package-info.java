/** Events as pages and as a stream. */
@NullMarked
package dev.fairlead.work.event.web;

import org.jspecify.annotations.NullMarked;
