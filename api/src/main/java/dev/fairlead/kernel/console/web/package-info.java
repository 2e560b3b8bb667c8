/** The web console: static files, their Content-Security-Policy, and where its pages sign in. */
@NullMarked
package dev.fairlead.kernel.console.web;

import org.jspecify.annotations.NullMarked;
