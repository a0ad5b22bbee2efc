/* The net of the experiments of 2002 with one cell, 17 weights, learning on line: the truncated gradient and momentum
 * at every step. By hand, as a programmer would write it: one exp for each activation and its slope.
 *
 * w, v      weights and their last changes: gates of forgetting, input and output with 4 weights each, of x, y, the
 *           cell state and 1; the cell with 3, of x, y and 1; the output with 2, of y and 1
 */

#include <math.h>

static double logistic(double z) { return 1.0 / (1.0 + exp(-z)); }

double learn(long T, const double *x, const double *d, double *w, double *v, double rate, double momentum) {
  double s = 0.0, y = 0.0, loss = 0.0;
  double ef[4] = {0}, ei[4] = {0}, ec[3] = {0};
  for (long t = 0; t < T; t++) {
    const double r[4] = {x[t], y, s, 1.0};
    double *wf = w, *wi = w + 4, *wo = w + 8, *wc = w + 12, *wy = w + 15;
    double g[17];
    double f = logistic(wf[0] * r[0] + wf[1] * r[1] + wf[2] * r[2] + wf[3]);
    double i = logistic(wi[0] * r[0] + wi[1] * r[1] + wi[2] * r[2] + wi[3]);
    double z = wc[0] * r[0] + wc[1] * r[1] + wc[2];
    double state = f * s + i * z;
    double o = logistic(wo[0] * r[0] + wo[1] * r[1] + wo[2] * state + wo[3]);
    double out = o * state;
    double p = logistic(wy[0] * out + wy[1]);
    double error = p - d[t];
    double by_net = p * (1.0 - p) * error;
    double by_out = wy[0] * by_net;
    double by_o = o * (1.0 - o) * state * by_out;
    double by_s = o * by_out;
    double df = f * (1.0 - f) * s, di = i * (1.0 - i) * z;
    for (int k = 0; k < 4; k++) {
      ef[k] = f * ef[k] + df * r[k];
      ei[k] = f * ei[k] + di * r[k];
      g[k] = by_s * ef[k];
      g[4 + k] = by_s * ei[k];
    }
    g[8] = by_o * r[0];
    g[9] = by_o * r[1];
    g[10] = by_o * state;
    g[11] = by_o;
    ec[0] = f * ec[0] + i * r[0];
    ec[1] = f * ec[1] + i * r[1];
    ec[2] = f * ec[2] + i;
    for (int k = 0; k < 3; k++) g[12 + k] = by_s * ec[k];
    g[15] = by_net * out;
    g[16] = by_net;
    for (int k = 0; k < 17; k++) {
      v[k] = momentum * v[k] - rate * g[k];
      w[k] += v[k];
    }
    loss += 0.5 * error * error;
    s = state;
    y = out;
  }
  return loss;
}
