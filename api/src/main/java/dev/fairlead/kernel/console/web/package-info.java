/** The web console: static files, their Content-Security-Policy, and its sign-in. */
@NullMarked
package dev.fairlead.kernel.console.web;

import org.jspecify.annotations.NullMarked;
