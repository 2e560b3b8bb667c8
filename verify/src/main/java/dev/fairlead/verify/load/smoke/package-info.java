/** The figures that gate every change: start-up, batch submit, submit to RUNNING, heap. */
@NullMarked
package dev.fairlead.verify.load.smoke;

import org.jspecify.annotations.NullMarked;
