/** What is made of events: the traces of jobs. */
@NullMarked
package dev.fairlead.work.relay;

import org.jspecify.annotations.NullMarked;
